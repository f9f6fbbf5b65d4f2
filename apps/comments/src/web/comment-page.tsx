import type { Rating } from '../list-parameters.ts'
import type { ShownComment } from '../shown-comment.ts'
import { CommentCard } from './comment-card.tsx'
import { Document } from './document.tsx'
import { commentPath, productListPath } from './links.ts'
import { ProductTitle } from './product-head.tsx'
import { ProductPicture, type ProductShown } from './product-shown.tsx'
import { useWords } from './reader.ts'
import type { Voting } from './voting.ts'

interface CommentPageProps {
  readonly comment: ShownComment
  readonly product: ProductShown | undefined
  readonly voting: Voting
}

/** Shows one comment at an address that stays, with links to others. */
export function CommentPage({ comment, product, voting }: CommentPageProps) {
  const { count, isolate, languageName, say } = useWords()
  const { id, productId, rating, language, title, text, author } = comment
  const of = isolate(product?.name ?? say.product(productId))
  const beginning = [...text].slice(0, 150).join('')
  return (
    <Document
      title={`${title === '' ? say.comment.untitled(count(rating, 'star'), isolate(author)) : isolate(title)} – ${of} – Lapidary`}
      description={`${say.comment.described(count(rating, 'star'), of, isolate(author))}: ${isolate(beginning)}`}
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
            <CommentCard comment={comment} whole voting={voting} />
          </div>
          <nav class="message-links" aria-label={say.comment.others}>
            <a class="button" href={productListPath(productId, {})}>
              {say.allComments}
            </a>
            <a class="button button-quiet" href={productListPath(productId, { ratings: [rating as Rating] })}>
              {say.comment.othersWith(count(rating, 'star'), rating)}
            </a>
            <a class="button button-quiet" href={productListPath(productId, { language })}>
              {say.comment.othersIn(languageName(language))}
            </a>
          </nav>
        </div>
      </div>
    </Document>
  )
}
