import react from '@vitejs/plugin-react'
import { defineConfig } from 'vite'

// For users, whatever the shell of the build says: React is half as large then.
process.env.NODE_ENV = 'production'

/** The page as static files, in `dist/page`. All addresses in it are relative, so it works under any path. */
export default defineConfig({
  root: `${import.meta.dirname}/page`,
  base: './',
  // The client is taken from its sources: no other package has to be built before.
  resolve: { conditions: ['source', 'module', 'browser', 'development|production'] },
  plugins: [react()],
  build: {
    outDir: `${import.meta.dirname}/dist/page`,
    emptyOutDir: true,
    target: 'es2023',
    modulePreload: { polyfill: false },
    // The policy of the page allows no fonts and pictures that are written into the style.
    assetsInlineLimit: 0,
    reportCompressedSize: false,
    // The test of the page measures what matters, as it goes over the wire.
    chunkSizeWarningLimit: 1000,
  },
})
