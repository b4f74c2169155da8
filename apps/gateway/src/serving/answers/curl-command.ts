export const API_KEY_VARIABLE = 'MARKET_STATE_API_KEY';

export const API_KEY_HEADER_NAME = 'x-market-state-api-key';

const HEADER = `-H "${API_KEY_HEADER_NAME}: $${API_KEY_VARIABLE}"`;

/** Shell command that prints the response and fails on an error status. */
export function curlCommand(url: string): string {
  return `curl -sS --fail-with-body ${HEADER} '${url}'`;
}

export function curlToFile(url: string, file: string): string {
  return `${curlCommand(url)} -o ${file}`;
}

export function curlStream(url: string): string {
  return `curl -sSN --fail-with-body ${HEADER} -H 'Accept: text/event-stream' '${url}'`;
}
