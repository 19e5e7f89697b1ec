import { hrefOf } from '../address.ts'
import { topPath } from '../model/names.ts'
import { Nothing } from '../parts/states.tsx'
import { useModel } from '../service/use-model.tsx'
import { settings } from '../settings.ts'

/** All resources with what they are, as a list. */
export function Home() {
  const model = useModel()
  const resources = Object.entries(model.resources).filter(([, resource]) => topPath(resource) !== undefined)
  if (resources.length === 0) {
    return (
      <Nothing glyph="lock" title="There is nothing for you here">
        The service shows you no resources. With a token you may see some: the menu above takes one.
      </Nothing>
    )
  }
  return (
    <>
      <div className="head">
        <h1>{settings.title}</h1>
      </div>
      <ul className="home">
        {resources.map(([key, resource]) => (
          <li key={key}>
            <a href={hrefOf(String(topPath(resource)))}>{key}</a>
            <span className="soft">{resource.description}</span>
          </li>
        ))}
      </ul>
    </>
  )
}
