const path = document.querySelector('#path')
const section = document.querySelector('.answer')
const [asked, status, problems, text, more] = ['.asked a', '.status', '.problems', 'code', '.more'].map((part) =>
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

more.addEventListener('click', () => {
  path.value = `${path.value.trim().replace(/&after=[^&]*/, '')}&after=${more.value}`
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
    return { found: inWords(json), errors: json.errors, text: inLines(json), next: json.next }
  } catch {
    return { text: body }
  }
}

function inWords({ rows, count, countIs }) {
  if (rows === undefined) return
  const all = countIs === 'atLeast' ? `at least ${count}` : count
  return all === undefined ? `${rows.length} records` : `${rows.length} of ${all} records`
}

/** JSON in which all that is short is on one line. */
function inLines(value, indent = '') {
  const line = JSON.stringify(value)
  if (indent.length + line.length < 100 || typeof value !== 'object' || value === null) return line
  const deeper = `${indent}  `
  const lines = Array.isArray(value)
    ? value.map((one) => deeper + inLines(one, deeper))
    : Object.entries(value).map(([name, one]) => `${deeper}${JSON.stringify(name)}: ${inLines(one, deeper)}`)
  return `${line[0]}\n${lines.join(',\n')}\n${indent}${line.at(-1)}`
}

function show({ url, said, found, errors = [], text: lines = '', next }) {
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
  more.hidden = next === undefined
  more.value = next ?? ''
  section.hidden = false
}
