import react from '@vitejs/plugin-react'
import { defaultClientConditions, defineConfig } from 'vite'

export default defineConfig({
  root: `${import.meta.dirname}/page`,
  plugins: [react()],
  // In this repository, packages are taken from their sources. Elsewhere, leave this line out.
  resolve: { conditions: ['source', ...defaultClientConditions] },
  build: { outDir: `${import.meta.dirname}/dist`, emptyOutDir: true },
})
