import type { SecretsManagerClient } from '@aws-sdk/client-secrets-manager'

/** The options of {@link rotatedSecret}. */
export interface RotatedSecretOptions {
  /** The name or the ARN of a secret in Secrets Manager whose value is a text. */
  readonly secretId: string
  /** Milliseconds for which a value that was read is used; 5 minutes when not given. */
  readonly keptMs?: number
  /** A client of the program's own; one with AWS's defaults when not given. */
  readonly client?: SecretsManagerClient
  /** Milliseconds since 1970; `Date.now` when not given. */
  readonly clock?: () => number
  /** Told why the secret could not be read again; the values that were read before stay in use. */
  readonly onError?: (error: unknown) => void
}

/** A secret that is read at run time. */
export interface RotatedSecret {
  /**
   * Returns the values that are good: the current one and the one before it. The first is for signing.
   *
   * @throws The error of Secrets Manager while the secret was never read.
   */
  values(): Promise<readonly string[]>
}

const KEPT_MS = 300_000
/** After a failure the secret is asked for again sooner. */
const AGAIN_MS = 15_000

interface Read {
  readonly current: string
  /** Milliseconds since 1970. */
  readonly since: number
  readonly previous: string | undefined
}

/**
 * Reads a secret of Secrets Manager when it is first needed, and again when it is a few minutes old, so that it is rotated without a deployment: a
 * new value is put (`aws secretsmanager put-secret-value`), and the one before it stays good.
 *
 * A new value is not the first at once: other processes learn of it within `keptMs`, and would refuse what it signs. For twice that time the one
 * before it signs.
 *
 * @example
 * ```ts
 * const cursorSecrets = rotatedSecret({ secretId: 'orders/cursor-secret' })
 * const [signs, ...others] = await cursorSecrets.values()
 * ```
 */
export function rotatedSecret(options: RotatedSecretOptions): RotatedSecret {
  const { secretId, keptMs = KEPT_MS, clock = Date.now, onError } = options
  let { client } = options
  let read: Read | undefined
  let readAgainAt = 0
  let reading: Promise<Read> | undefined

  const stage = async (VersionStage: string) => {
    const { GetSecretValueCommand, SecretsManagerClient } = await import('@aws-sdk/client-secrets-manager')
    client ??= new SecretsManagerClient({ requestHandler: { connectionTimeout: 1_000, requestTimeout: 2_000 } })
    return client.send(new GetSecretValueCommand({ SecretId: secretId, VersionStage }))
  }
  const readBoth = async (): Promise<Read> => {
    const [now, before] = await Promise.all([stage('AWSCURRENT'), stage('AWSPREVIOUS').catch(noSuchStage)])
    if (now.SecretString === undefined) throw new Error(`the secret ${secretId} holds no text; put one as SecretString`)
    return { current: now.SecretString, since: now.CreatedDate?.getTime() ?? 0, previous: before?.SecretString }
  }
  const readOnce = async (): Promise<Read> => {
    try {
      read = await readBoth()
      readAgainAt = clock() + keptMs
    } catch (error) {
      if (read === undefined) throw error
      onError?.(error)
      readAgainAt = clock() + AGAIN_MS
    }
    return read
  }
  return {
    async values() {
      if (read === undefined || clock() >= readAgainAt) {
        reading ??= readOnce().finally(() => {
          reading = undefined
        })
        await reading
      }
      const { current, since, previous } = read as Read
      if (previous === undefined || previous === current) return [current]
      return clock() - since < 2 * keptMs ? [previous, current] : [current, previous]
    },
  }
}

/** A secret that was never rotated has one version. */
function noSuchStage(error: unknown): undefined {
  if ((error as Error).name === 'ResourceNotFoundException') return undefined
  throw error
}
