import { readFileSync } from 'node:fs'
import { type Html, html } from './html.ts'
import { questions } from './questions.ts'

/** The script of the section, for the browser. */
export const askScript: string = readFileSync(new URL('ask-in-browser.js', import.meta.url), 'utf8')

/** A form that asks this service, with questions to choose from. Without the script, these are links. */
export function askSection(): Html {
  const [first] = questions
  const links = questions.map(({ says, path }) => html`<li><a href="${path}">${says}</a></li>`)
  return html`<h2 id="ask">Ask for what you need</h2>
<p class="soft">Lists take filters and sorts, also through relations. <code>fields</code> and <code>include</code> say
what records have. Choose a question, or write one. You see what the user that you chose above may see.</p>
<ul class="questions">
${links}
</ul>
<form class="ask">
<label for="path">GET</label>
<textarea id="path" rows="2" spellcheck="false" autocapitalize="off" autocomplete="off">${first.path}</textarea>
<button>Ask</button>
</form>
<section class="answer" aria-label="The answer" hidden>
<p class="asked">asked <a></a></p>
<p class="status" role="status"></p>
<ul class="problems"></ul>
<pre tabindex="0"><code></code></pre>
<button class="more" type="button">The next page</button>
</section>
<script type="module" src="/ask.js"></script>`
}
