/** What a client signs with. */
interface Credentials {
  readonly accessKeyId: string
  readonly secretAccessKey: string
  readonly sessionToken?: string
}

/**
 * Takes the place of the SDK's search for credentials in a bundle: Lambda gives them as variables, and the code for files, sign-in and other
 * machines is a fifth of a function that lists.
 */
export function defaultProvider(): () => Promise<Credentials> {
  return async () => {
    const { AWS_ACCESS_KEY_ID: accessKeyId, AWS_SECRET_ACCESS_KEY: secretAccessKey, AWS_SESSION_TOKEN } = process.env
    if (accessKeyId === undefined || secretAccessKey === undefined)
      throw new Error(
        'AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY are not set; Lambda sets them for the role of a function',
      )
    return {
      accessKeyId,
      secretAccessKey,
      ...(AWS_SESSION_TOKEN === undefined ? {} : { sessionToken: AWS_SESSION_TOKEN }),
    }
  }
}
