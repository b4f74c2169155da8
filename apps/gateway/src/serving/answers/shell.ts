/** Environment variable that every snippet takes the key from. */
export const API_KEY_VARIABLE = 'MARKET_STATE_API_KEY';

/** Header of the key. */
export const API_KEY_HEADER_NAME = 'x-market-state-api-key';

const HEADER = `-H "${API_KEY_HEADER_NAME}: $${API_KEY_VARIABLE}"`;

/** A shell command that prints what an address gives, and fails where it gives no success. */
export function curlCommand(url: string): string {
  return `curl -sS --fail-with-body ${HEADER} '${url}'`;
}

/** As `curlCommand`, into a file of the working folder. */
export function curlToFile(url: string, file: string): string {
  return `${curlCommand(url)} -o ${file}`;
}

/** A shell command that prints a stream of events as they come. */
export function curlStream(url: string): string {
  return `curl -sSN --fail-with-body ${HEADER} -H 'Accept: text/event-stream' '${url}'`;
}
