import type { Child } from 'hono/jsx'
import type { Content, JsonSchema, OpenApiDocument, Operation } from './api-description.ts'
import { Ticked } from './ticked.tsx'

const LIMITS = ['minimum', 'maximum', 'minLength', 'maxLength', 'maxItems'] as const

/** The addresses beside the reference. */
interface ReferenceProps {
  readonly api: OpenApiDocument
  /** The address below which the API is; none when not given. */
  readonly base?: string
}

/** Shows an API to people: every request with its parameters and answers, and their schemas. It needs no script. */
export function ApiReference({ api: { info, paths, components }, base = '' }: ReferenceProps): Child {
  const operations = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method: method.toUpperCase(), operation })),
  )
  return (
    <div class="wide api">
      <h1>{info.title}: HTTP API</h1>
      <p>
        {info.description} The same for programs is at <a href={`${base}/openapi.json`}>{base}/openapi.json</a>; what
        each code of an error means is at <a href={`${base}/docs/errors`}>{base}/docs/errors</a>.
      </p>
      <nav class="api-requests" aria-label="Requests">
        <ul>
          {operations.map(({ path, method, operation }) => (
            <li>
              <a href={`#${operation.operationId}`}>
                <RequestLine method={method} path={path} />
              </a>{' '}
              <span>{operation.summary}</span>
            </li>
          ))}
        </ul>
      </nav>
      {operations.map((shown) => (
        <OperationSection {...shown} />
      ))}
      <h2>What they consist of</h2>
      {Object.entries(components.schemas).map(([name, schema]) => (
        <SchemaSection name={name} schema={schema} />
      ))}
    </div>
  )
}

/** Shows a request line, which may break before a slash and not within a name. */
function RequestLine({ method, path }: { method: string; path: string }) {
  const [, ...names] = path.split('/')
  return (
    <code>
      {method}{' '}
      {names.map((name) => (
        <>
          <wbr />/{name}
        </>
      ))}
    </code>
  )
}

function OperationSection({ path, method, operation }: { path: string; method: string; operation: Operation }) {
  const { operationId, summary, description, security, parameters = [], requestBody, responses } = operation
  const needs = security.flatMap((scheme) => Object.keys(scheme))
  return (
    <section class="sheet api-part" id={operationId} aria-labelledby={`${operationId}-title`}>
      <h2 id={`${operationId}-title`}>{summary}</h2>
      <p>
        <RequestLine method={method} path={path} />
      </p>
      <p>{needs.length === 0 ? 'Open to all.' : `Needs ${needs.map(needOf).join(' or ')}.`}</p>
      {description === undefined ? null : (
        <p>
          <Ticked text={description} />
        </p>
      )}
      {parameters.length === 0 ? null : (
        <dl>
          {parameters.map((parameter) => (
            <Term
              name={parameter.name}
              facts={[parameter.in, parameter.required === true ? 'required' : '', ...factsOf(parameter.schema)]}
              description={parameter.description}
            />
          ))}
        </dl>
      )}
      {requestBody === undefined ? null : (
        <p>
          Body: <Contents content={requestBody.content} />
        </p>
      )}
      <h3>Answers</h3>
      <dl>
        {Object.entries(responses).map(([status, answer]) => (
          <>
            <dt>{status}</dt>
            <dd>
              <Ticked text={answer.description} /> <Contents content={answer.content ?? {}} />
            </dd>
          </>
        ))}
      </dl>
    </section>
  )
}

function needOf(scheme: string): string {
  return scheme === 'person' ? 'a person who is signed in' : `the token of a ${scheme}`
}

function SchemaSection({ name, schema }: { name: string; schema: JsonSchema }) {
  return (
    <section class="sheet api-part" id={`schema-${name}`} aria-labelledby={`schema-${name}-title`}>
      <h3 id={`schema-${name}-title`}>{name}</h3>
      {schema.description === undefined ? null : (
        <p>
          <Ticked text={schema.description} />
        </p>
      )}
      <dl>
        {Object.entries(schema.properties ?? {}).map(([property, value]) => (
          <Term
            name={property}
            facts={[schema.required?.includes(property) === true ? '' : 'may be absent', ...factsOf(value)]}
            description={value.description}
          />
        ))}
      </dl>
    </section>
  )
}

interface TermProps {
  readonly name: string
  readonly facts: readonly string[]
  readonly description?: string | undefined
}

function Term({ name, facts, description }: TermProps) {
  return (
    <>
      <dt>
        <code>{name}</code> <span class="api-facts">{facts.filter((fact) => fact !== '').join(', ')}</span>
      </dt>
      <dd>
        <Ticked text={description ?? ''} />
      </dd>
    </>
  )
}

/** Shows each kind of content; a schema with a name is a link. */
function Contents({ content }: { content: Content }) {
  return (
    <>
      {Object.entries(content).map(([type, { schema }]) => {
        const name = nameOf(schema)
        return (
          <span class="api-facts">
            {name === undefined ? typeOf(schema) : <a href={`#schema-${name}`}>{name}</a>} ({type}){' '}
          </span>
        )
      })}
    </>
  )
}

function nameOf({ $ref }: JsonSchema): string | undefined {
  return $ref?.split('/').at(-1)
}

function typeOf(schema: JsonSchema): string {
  const { type, anyOf, items, enum: values, format } = schema
  const name = nameOf(schema)
  if (name !== undefined) return name
  if (values !== undefined) return values.length > 8 ? 'one of the codes' : values.map(String).join(' | ')
  if (anyOf !== undefined) return anyOf.map(typeOf).join(' or ')
  if (items !== undefined) return `list of ${typeOf(items)}`
  return format ?? [type ?? 'anything'].flat().join(' or ')
}

/** Describes a schema in words: type, limits and default. */
function factsOf(schema: JsonSchema): readonly string[] {
  const limits = LIMITS.flatMap((limit) => {
    const value = schema[limit]
    return typeof value === 'number' && Math.abs(value) < Number.MAX_SAFE_INTEGER ? [`${limit} ${value}`] : []
  })
  return [typeOf(schema), ...limits, ...(schema.default === undefined ? [] : [`default ${String(schema.default)}`])]
}
