import type { ICertificate } from 'aws-cdk-lib/aws-certificatemanager'
import type { ISecret } from 'aws-cdk-lib/aws-secretsmanager'
import type { LapidaryEdge } from './edge.ts'

/** The properties of `apiFor`. */
export interface ApiProps {
  /** A file of your own that exports `handler`, as `apiHandler` or `lambdaHandler` makes it; the routes of `lapidary-http` when not given. */
  readonly entry?: string
  /** A folder that lies beside the bundle as `assets`. */
  readonly assets?: string
  /** Variables of the function beside those of all. */
  readonly environment?: Readonly<Record<string, string>>
  /** Whether items may be written; true when not given. */
  readonly writes?: boolean
  /** The RCU that one request may read; 50 when not given. */
  readonly maxCapacity?: number
  readonly memorySize?: number
  /** The most requests under way, of all viewers together; 100 when not given. `unreserved` takes what the account has left. */
  readonly reservedConcurrency?: number | 'unreserved'

  /** Whether there is a token that may create and change, beside the one of an admin; false when not given. */
  readonly writerToken?: boolean
  /** Secrets that are there already; made when not given, and kept when the stack goes. */
  readonly secrets?: { readonly cursor?: ISecret; readonly admin?: ISecret; readonly writer?: ISecret }

  /** What lies in us-east-1 for CloudFront; made with the API when not given, in a stack of that region. */
  readonly edge?: LapidaryEdge
  /** The requests of one address in five minutes, beyond which the firewall refuses it; 2000 when not given. */
  readonly requestsOfAddress?: number
  /** Names of your own for the distribution, with their certificate, which lies in us-east-1. */
  readonly domainNames?: readonly string[]
  readonly certificate?: ICertificate
}
