/** A small red book, for the browser's tab. */
export const icon =
  "data:image/svg+xml,<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 16 16'><path fill='%238a2f1d' d='M3 1h9a1 1 0 0 1 1 1v13H4a2 2 0 0 1-2-2V2a1 1 0 0 1 1-1zm1 11a1 1 0 0 0 0 2h8v-2z'/></svg>"
