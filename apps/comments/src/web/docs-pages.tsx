import { ApiReference, ErrorsReference, type OpenApiDocument } from 'lapidary-http/internal'
import { Document } from './document.tsx'

/** Shows the HTTP API to people. */
export function ApiPage({ api }: { readonly api: OpenApiDocument }) {
  const { title, description = title } = api.info
  return (
    <Document title={`${title}: HTTP API`} description={description} canonical="/docs">
      <ApiReference api={api} />
    </Document>
  )
}

/** Shows what each code of an error means. */
export function ErrorsPage() {
  return (
    <Document
      title="Product comments: errors – Lapidary"
      description="What each code of an error means and what to do about it."
      canonical="/docs/errors"
    >
      <ErrorsReference />
    </Document>
  )
}
