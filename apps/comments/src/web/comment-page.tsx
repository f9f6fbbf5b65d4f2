import type { Comment } from '../comment.ts'
import type { Rating } from '../list-parameters.ts'
import { CommentCard } from './comment-card.tsx'
import { Document } from './document.tsx'
import { commentPath, productListPath } from './links.ts'
import { ProductTitle } from './product-head.tsx'
import { ProductPicture, type ProductShown } from './product-shown.tsx'
import { useWords } from './reader.ts'

/** One comment at an address that stays, and the ways from it to others. */
export function CommentPage({ comment, product }: { comment: Comment; product: ProductShown | undefined }) {
  const { count, languageName } = useWords()
  const { id, productId, rating, language, title, text, author } = comment
  const of = product?.name ?? `product ${productId}`
  const beginning = [...text].slice(0, 150).join('')
  return (
    <Document
      title={`${title === '' ? `${count(rating, 'star')} by ${author}` : title} – ${of} – Lapidary`}
      description={`${count(rating, 'star')} for ${of}, by ${author}: ${beginning}`}
      canonical={commentPath(productId, id)}
      productId={productId}
    >
      <div class="wide product" itemscope itemtype="https://schema.org/Product">
        <header class="product-head">
          {product === undefined ? null : <ProductPicture product={product} size={96} />}
          <div class="product-what">
            <ProductTitle productId={productId} product={product} />
          </div>
        </header>
        <div class="results results-bare">
          <div class="sheet comments">
            <CommentCard comment={comment} whole />
          </div>
          <nav class="message-links" aria-label="Other comments">
            <a class="button" href={productListPath(productId, {})}>
              All comments
            </a>
            <a class="button button-quiet" href={productListPath(productId, { ratings: [rating as Rating] })}>
              Others with {count(rating, 'star')}
            </a>
            <a class="button button-quiet" href={productListPath(productId, { language })}>
              Others in {languageName(language)}
            </a>
          </nav>
        </div>
      </div>
    </Document>
  )
}
