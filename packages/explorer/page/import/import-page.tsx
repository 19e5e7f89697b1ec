import { useState } from 'react'
import { hrefOf } from '../address.ts'
import type { Resource } from '../model/model.ts'
import type { Spot } from '../model/names.ts'
import { saveFile } from '../parts/save-file.ts'
import { ask } from '../service/ask.ts'
import { useForget, useModel } from '../service/use-model.tsx'
import { serviceUrl } from '../settings.ts'
import { toCsv } from './csv.ts'
import { type ImportProgress, nameOfImport, readProgress, saveProgress, stateOf } from './import-progress.ts'
import { bodyOfLine, guessMapping, type ImportFile, readFile, targetsOf } from './lines.ts'
import { type ImportState, type Portion, portionsOf, sendNext } from './send-portions.ts'

/** Takes a file of CSV or JSON: which column is what, then portions, with what was refused by line. */
export function ImportPage({ spot }: { readonly spot: Spot }) {
  const model = useModel()
  const forget = useForget()
  const resource = model.resources[spot.resource] as Resource
  const targets = targetsOf(resource)
  const [file, setFile] = useState<ImportFile>()
  const [mapping, setMapping] = useState<ReadonlyMap<string, string>>(new Map())
  const [by, setBy] = useState('')
  const [state, setState] = useState<ImportState>()
  const [isRunning, setRunning] = useState(false)
  const [name, setName] = useState<string>()
  const [before, setBefore] = useState<ImportProgress>()
  const [problem, setProblem] = useState<string>()
  const keys = (resource.unique ?? []).filter(
    ({ names, conditional }) => !conditional && names.every((name) => [...mapping.values()].includes(name)),
  )

  const take = async (files: FileList | null) => {
    const [chosen] = files ?? []
    if (chosen === undefined) return
    setState(undefined)
    setBefore(undefined)
    setProblem(undefined)
    try {
      const text = await chosen.text()
      const read = readFile(text)
      const found = await nameOfImport(serviceUrl + spot.collection, text)
      setName(found)
      setBefore(found === undefined ? undefined : readProgress(found))
      setFile(read)
      setMapping(guessMapping(read.columns, targets))
    } catch (error) {
      setFile(undefined)
      setProblem(error instanceof Error ? error.message : String(error))
    }
  }
  const sendBy =
    (by: string) =>
    async ({ key, lines }: Portion) => {
      const headers = { prefer: 'return=minimal', ...(model.idempotency && by === '' && { 'idempotency-key': key }) }
      const body = lines.map((line) => line.body)
      await ask(
        spot.collection,
        by === ''
          ? { method: 'POST', body, headers }
          : { method: 'PUT', body, headers, query: `by=${encodeURIComponent(by)}` },
      )
    }
  const run = async (start: ImportState, columns = mapping, key = by) => {
    setRunning(true)
    setProblem(undefined)
    let next = start
    const keep = () => name !== undefined && (model.idempotency || key !== '') && saveProgress(name, next, columns, key)
    setState(next)
    keep()
    try {
      while (next.left.length > 0) {
        next = await sendNext(next, sendBy(key), () => crypto.randomUUID())
        setState(next)
        keep()
      }
    } catch (error) {
      setProblem(`${error instanceof Error ? error.message : String(error)}. What was sent before is stored.`)
    }
    setRunning(false)
    await forget()
  }
  const linesBy = (columns: ReadonlyMap<string, string>) =>
    file?.records.map(({ line, values }) => ({ line, body: bodyOfLine(values, columns, targets) })) ?? []
  const begin = () => void run(portionsOf(linesBy(mapping), () => crypto.randomUUID()))
  const goOn = (progress: ImportProgress) => {
    const columns = new Map(progress.mapping)
    setMapping(columns)
    setBy(progress.by)
    void run(stateOf(progress, linesBy(columns)), columns, progress.by)
  }
  const total = file?.records.length ?? 0
  return (
    <>
      <div className="head">
        <h1>Import {spot.resource}</h1>
        <span className="grow" />
        <a className="button" href={hrefOf(spot.collection)}>
          All {spot.resource} records
        </a>
      </div>
      <div className="import">
        <label className="field">
          <span className="label">A file of CSV with headings, or an array of JSON</span>
          <input
            className="input"
            type="file"
            accept=".csv,.tsv,.json,text/csv,application/json"
            disabled={isRunning}
            onChange={({ target }) => void take(target.files)}
          />
        </label>
        {problem !== undefined && (
          <div className="note bad" role="alert">
            {problem}{' '}
            {state !== undefined && state.left.length > 0 && !isRunning && (model.idempotency || by !== '') && (
              <button type="button" className="button little" onClick={() => void run(state)}>
                Go on
              </button>
            )}
          </div>
        )}
        {file !== undefined && state === undefined && (
          <>
            {before !== undefined && (
              <div className="note warn row-of">
                <span className="grow">
                  {before.done.toLocaleString()} of its {total.toLocaleString()} records are stored already.
                </span>
                <button type="button" className="button main" onClick={() => goOn(before)}>
                  Go on with it
                </button>
              </div>
            )}
            <h2>{total.toLocaleString()} records: what is what</h2>
            <Mapping file={file} mapping={mapping} targets={Object.keys(targets)} onChange={setMapping} />
            <label className="field">
              <span className="label">They are</span>
              <select className="input" value={by} onChange={({ target }) => setBy(target.value)}>
                <option value="">new records</option>
                {keys.map(({ names }) => (
                  <option key={names.join()} value={names.join()}>
                    new, or in place of the record with the same {names.join(', ')}
                  </option>
                ))}
              </select>
            </label>
            {by !== '' && (
              <div className="note warn">
                A record that is there becomes what its line says: what the line leaves out gets its default, and owned
                records go.
              </div>
            )}
            <div>
              <button type="button" className="button main" disabled={mapping.size === 0} onClick={begin}>
                Import
              </button>
            </div>
          </>
        )}
        {state !== undefined && file !== undefined && <Progress state={state} file={file} isRunning={isRunning} />}
      </div>
    </>
  )
}

interface MappingProps {
  readonly file: ImportFile
  readonly mapping: ReadonlyMap<string, string>
  readonly targets: readonly string[]
  readonly onChange: (mapping: ReadonlyMap<string, string>) => void
}

function Mapping({ file, mapping, targets, onChange }: MappingProps) {
  const [first] = file.records
  const choose = (column: string, target: string) => {
    const others = [...mapping].filter(([one, its]) => one !== column && its !== target)
    onChange(new Map(target === '' ? others : [...others, [column, target]]))
  }
  return (
    <table className="mapping">
      <thead>
        <tr>
          <th scope="col">Column</th>
          <th scope="col">First value</th>
          <th scope="col">Becomes</th>
        </tr>
      </thead>
      <tbody>
        {file.columns.map((column) => (
          <tr key={column}>
            <td>{column}</td>
            <td className="soft">{String(first?.values[column] ?? '').slice(0, 60)}</td>
            <td>
              <select
                className="input"
                aria-label={`What ${column} becomes`}
                value={mapping.get(column) ?? ''}
                onChange={({ target }) => choose(column, target.value)}
              >
                <option value="">nothing</option>
                {targets.map((target) => (
                  <option key={target}>{target}</option>
                ))}
              </select>
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}

interface ProgressProps {
  readonly state: ImportState
  readonly file: ImportFile
  readonly isRunning: boolean
}

function Progress({ state, file, isRunning }: ProgressProps) {
  const { done, problems } = state
  const lines = [...new Set(problems.map(({ line }) => line))]
  const total = file.records.length
  const saveFaulty = () => {
    const faulty = file.records.filter(({ line }) => lines.includes(line))
    saveFile(
      'faulty-lines.csv',
      'text/csv',
      toCsv([file.columns, ...faulty.map(({ values }) => file.columns.map((column) => values[column]))]),
    )
  }
  return (
    <>
      <progress max={total} value={done + lines.length} aria-label="Imported" />
      <p role="status">
        {done.toLocaleString()} of {total.toLocaleString()} are stored
        {lines.length > 0 && `, ${lines.length} lines are refused`}
        {isRunning ? '…' : '.'}
      </p>
      {problems.length > 0 && (
        <>
          <ul className="effects">
            {problems.slice(0, 200).map(({ line, message }) => (
              <li key={`${line} ${message}`} className="small">
                line {line}: {message}
              </li>
            ))}
          </ul>
          <div>
            <button type="button" className="button" onClick={saveFaulty}>
              Save the refused lines
            </button>
          </div>
        </>
      )}
    </>
  )
}
