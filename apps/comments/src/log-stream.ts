import { type DestinationStream, destination } from 'pino'
import pretty from 'pino-pretty'

/** The line of a request for a person: `GET /p/42 200 in 17.6 ms, 1.5 RCU`. */
const REQUEST =
  '{msg}{if method}{method} {path} {status} in {ms} ms{end}{if rcu}, {rcu} RCU{end}{if wcu}, {wcu} WCU{end}'

/** Takes a progress bar off the line, which draws itself again below. */
const CLEAR_LINE = '\u001b[G\u001b[K'

/** Returns the stream of logs: readable lines for a person at a terminal, else JSON, a line each. */
export function logStream({
  isTTY = process.stderr.isTTY,
  fd = 2,
}: {
  isTTY?: boolean
  fd?: number
} = {}): DestinationStream {
  if (!isTTY) return destination({ fd, sync: false })
  return pretty({
    destination: fd,
    sync: true,
    translateTime: 'SYS:HH:MM:ss',
    customPrettifiers: { time: (time) => `${CLEAR_LINE}[${time}]` },
    singleLine: true,
    ignore: 'id,method,path,status,ms,rcu,wcu',
    messageFormat: REQUEST,
  })
}
