/** One server-sent event. */
export interface ServerEvent {
  readonly event: string;
  /** Empty where it has none. */
  readonly id: string;
  readonly data: string;
}

/** Cuts a text that comes in pieces into events; lines may end in CR, LF or both. Comments and unknown fields are left out. */
export function createEventParser(): (piece: string) => ServerEvent[] {
  let rest = '';
  let fields = { event: '', id: '', data: [] as string[] };

  function take(line: string, events: ServerEvent[]): void {
    if (line === '') {
      if (fields.data.length > 0) events.push({ event: fields.event || 'message', id: fields.id, data: fields.data.join('\n') });
      fields = { event: '', id: '', data: [] };
      return;
    }
    const colon = line.indexOf(':');
    const name = colon < 0 ? line : line.slice(0, colon);
    const value = colon < 0 ? '' : line.slice(colon + 1).replace(/^ /, '');
    if (name === 'event') fields.event = value;
    else if (name === 'id') fields.id = value;
    else if (name === 'data') fields.data.push(value);
  }

  return (piece) => {
    const events: ServerEvent[] = [];
    rest += piece;
    // A CR at the end may be the first half of a line's end.
    const lines = rest.split(/\r\n|\n|\r(?!$)/);
    rest = lines.pop() ?? '';
    for (const line of lines) take(line, events);
    return events;
  };
}
