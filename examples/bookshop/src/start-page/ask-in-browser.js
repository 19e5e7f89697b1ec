const path = document.querySelector('#path')
const section = document.querySelector('.answer')
const [asked, status, problems, text] = ['.asked a', '.status', '.problems', 'code'].map((part) =>
  section.querySelector(part),
)

for (const link of document.querySelectorAll('.questions a')) {
  link.addEventListener('click', (event) => {
    if (event.ctrlKey || event.metaKey || event.shiftKey) return // opens the bare answer, as any link
    event.preventDefault()
    path.value = link.getAttribute('href')
    ask()
  })
}

document.querySelector('.ask').addEventListener('submit', (event) => {
  event.preventDefault()
  ask()
})

path.addEventListener('keydown', (event) => {
  if (event.key !== 'Enter' || event.isComposing) return
  event.preventDefault()
  ask()
})

let latest

/** Shows what the service says, unless something else was asked in the meantime. */
async function ask() {
  const written = path.value.trim()
  latest = written
  const answer = await answerTo(written)
  if (latest === written) show(answer)
}

async function answerTo(written) {
  try {
    const url = new URL(written, location.origin)
    const response = await fetch(url)
    return { url, said: `${response.status} ${response.statusText}`, ...contents(await response.text()) }
  } catch {
    return { said: 'No answer. Is this a path of the service, such as /api/book, and does the service run?' }
  }
}

function contents(body) {
  try {
    const json = JSON.parse(body)
    return { found: inWords(json), errors: json.errors, text: inLines(json) }
  } catch {
    return { text: body }
  }
}

function inWords({ rows, count }) {
  if (rows === undefined) return
  return count === undefined ? `${rows.length} records` : `${rows.length} of ${count} records`
}

/** JSON in which all that is short is on one line. */
function inLines(value, indent = '') {
  const line = JSON.stringify(value)
  if (indent.length + line.length < 90 || typeof value !== 'object' || value === null) return line
  const deeper = `${indent}  `
  const lines = Array.isArray(value)
    ? value.map((one) => deeper + inLines(one, deeper))
    : Object.entries(value).map(([name, one]) => `${deeper}${JSON.stringify(name)}: ${inLines(one, deeper)}`)
  return `${line[0]}\n${lines.join(',\n')}\n${indent}${line.at(-1)}`
}

function show({ url, said, found, errors = [], text: lines = '' }) {
  asked.parentElement.hidden = url === undefined
  asked.href = url ?? ''
  asked.textContent = url === undefined ? '' : url.pathname + url.search
  status.textContent = found === undefined ? said : `${said} · ${found}`
  problems.hidden = errors.length === 0
  problems.replaceChildren(
    ...errors.map(({ message }) => Object.assign(document.createElement('li'), { textContent: message })),
  )
  text.parentElement.hidden = lines === ''
  text.textContent = lines
  section.hidden = false
}
