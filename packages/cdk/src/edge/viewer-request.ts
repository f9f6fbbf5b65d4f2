/**
 * The code of a function of CloudFront, for its JavaScript runtime 2.0. CloudFront replaces `Authorization` by its own signature and `Host` by the
 * name of the function URL, so it moves both to headers that `lambdaHandler` reads, with the viewer's address; what a viewer sends in those headers is
 * lost.
 */
export const VIEWER_REQUEST = `function handler(event) {
  var request = event.request
  var headers = request.headers
  var authorization = headers.authorization
  delete headers.authorization
  delete headers['x-viewer-authorization']
  delete headers['x-amz-content-sha256']
  if (authorization) headers['x-viewer-authorization'] = { value: authorization.value }
  headers['x-viewer-host'] = { value: headers.host.value }
  headers['x-viewer-address'] = { value: event.viewer.ip }
  return request
}
`
