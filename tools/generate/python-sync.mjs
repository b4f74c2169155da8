/** Asynchronous names and their synchronous replacements. */
const REPLACEMENTS = [
  [/market_state\.aio\.transport\b/g, 'market_state.transport'],
  [/market_state\.aio\b/g, 'market_state.generated.sync'],
  [/market_state\.generated\.groups\b/g, 'market_state.generated.sync.groups'],
  [/\bhttpx\.AsyncClient\b/g, 'HttpClient'],
  [/The asynchronous client\./g, 'The synchronous client.'],
  [/\bAsyncGenerator\[([\w.]+|[\w.]+\[\w+\]), None\]/g, 'Generator[$1, None, None]'],
  [/\bAsync(?=[A-Z])/g, ''],
  [/\basync (?=def|for|with)/g, ''],
  [/\bawait /g, ''],
  [/\b__a(iter|next|enter|exit)__/g, '__$1__'],
  [/\baclosing\b/g, 'closing'],
  [/\ba(close|iter_bytes|iter_raw)\b/g, '$1'],
  [/\bStopAsyncIteration\b/g, 'StopIteration'],
  [/\basyncio\b/g, 'time'],
  [/\bAwaitable, /g, ''],
];

export function syncOf(text) {
  return withoutAwaitable(REPLACEMENTS.reduce((made, [what, by]) => made.replaceAll(what, by), text));
}

/** `Awaitable[X]` → `X`. */
function withoutAwaitable(text) {
  const start = text.indexOf('Awaitable[');
  if (start < 0) return text;
  const open = start + 'Awaitable'.length;
  let depth = 0;
  let end = open;
  do {
    if (text[end] === '[') depth += 1;
    if (text[end] === ']') depth -= 1;
    end += 1;
  } while (depth > 0);
  return withoutAwaitable(text.slice(0, start) + text.slice(open + 1, end - 1) + text.slice(end));
}
