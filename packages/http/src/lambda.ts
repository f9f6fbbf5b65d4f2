/**
 * The HTTP API as a function on AWS Lambda: events of function URLs, API Gateway and load balancers, and secrets that are rotated without a
 * deployment.
 *
 * @module lapidary-http/lambda
 */

export { type LambdaHandler, type LambdaHandlerOptions, lambdaHandler } from './lambda/lambda-handler.ts'
export { lambdaLog } from './lambda/lambda-log.ts'
export { type RotatedSecret, type RotatedSecretOptions, rotatedSecret } from './lambda/rotated-secret.ts'
export { type RotatedSecrets, type SecretValues, withRotatedSecrets } from './lambda/with-rotated-secrets.ts'
