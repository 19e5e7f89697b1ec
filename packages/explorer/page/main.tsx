import './style/base.css'
import './style/frame.css'
import './style/records.css'
import './style/record.css'
import { CSPProvider } from '@base-ui/react/csp-provider'
import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { App } from './frame/app.tsx'
import { ServiceError } from './service/problem.ts'

const queries = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: 5_000,
      // What the service has answered is its answer. No answer at all is worth another try: it may be starting.
      retry: (failures, error) => !(error instanceof ServiceError && error.status !== 503) && failures < 3,
    },
    mutations: { retry: false },
  },
})

createRoot(document.getElementById('root') as HTMLElement).render(
  <StrictMode>
    <CSPProvider disableStyleElements>
      <QueryClientProvider client={queries}>
        <App />
      </QueryClientProvider>
    </CSPProvider>
  </StrictMode>,
)
