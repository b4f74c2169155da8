import { LineCounter, parseDocument, type CST } from 'yaml';

export interface JsonText {
  /** Result of `JSON.parse`; undefined if the text is not JSON. */
  readonly value: unknown;
  /** 1-based line of a JSON pointer's name or element, or of its nearest existing parent. */
  readonly lineOf: (pointer: string) => number;
  readonly faults: readonly JsonFault[];
}

interface JsonFault {
  readonly line: number;
  readonly pointer: string;
  readonly message: string;
}

interface Positions {
  readonly lines: ReadonlyMap<string, number>;
  readonly faults: readonly JsonFault[];
}

interface Walk {
  readonly report: (offset: number, pointer: string, message: string) => void;
  readonly place: (offset: number, pointer: string) => void;
}

/** Separator tokens that JSON shares with YAML; comments, anchors and tags are faults. */
const SEPARATORS: ReadonlySet<string> = new Set(['space', 'newline', 'comma', 'map-value-ind']);

/**
 * Parses JSON (RFC 8259). Positions come from a YAML parser, run only if there is a fault; everything YAML allows
 * beyond JSON is a fault.
 */
export function readJsonText(text: string): JsonText {
  let positions: Positions | undefined;
  const read = () => (positions ??= readPositions(text));
  const value = parsed(text);
  const sound = value !== undefined && nameTotal(text) === memberTotal(value);
  return { value, lineOf: (pointer) => lineOf(read().lines, pointer), faults: sound ? [] : read().faults };
}

function nameTotal(text: string): number {
  let total = 0;
  for (const [, colon] of text.matchAll(/"(?:[^"\\]|\\.)*"(\s*:)?/g)) if (colon !== undefined) total++;
  return total;
}

function memberTotal(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0;
  const inner = Object.values(value).reduce<number>((total, member) => total + memberTotal(member), 0);
  return Array.isArray(value) ? inner : inner + Object.keys(value).length;
}

function readPositions(text: string): Positions {
  const lineCounter = new LineCounter();
  const document = parseDocument(text, { lineCounter, schema: 'json', keepSourceTokens: true, prettyErrors: false, uniqueKeys: false });
  const lineAt = (offset: number) => Math.max(1, lineCounter.linePos(offset).line);
  const faults: JsonFault[] = document.errors.map((error) => ({
    line: lineAt(error.pos[0]),
    pointer: '',
    message: `is not JSON: ${error.message}`,
  }));
  const lines = new Map([['', 1]]);
  const token = document.contents?.srcToken;
  if (faults.length === 0 && token !== undefined) {
    walk(token, '', {
      report: (offset, pointer, message) => faults.push({ line: lineAt(offset), pointer, message }),
      place: (offset, pointer) => lines.set(pointer, lineAt(offset)),
    });
  }
  if (faults.length === 0) faults.push({ line: 1, pointer: '', message: 'is not JSON' });
  return { lines, faults: onePerLine(faults) };
}

/** Escapes a member's name for a JSON pointer (RFC 6901). */
export function pointerPart(name: string): string {
  return name.replaceAll('~', '~0').replaceAll('/', '~1');
}

function walk(token: CST.Token, pointer: string, into: Walk): void {
  if (token.type === 'flow-collection') return walkCollection(token, pointer, into);
  const scalar = token.type === 'scalar' || token.type === 'double-quoted-scalar';
  if (!scalar || parsed(token.source) === undefined) into.report(token.offset, pointer, 'is not a JSON value');
}

function walkCollection({ items, start, offset }: CST.FlowCollection, pointer: string, into: Walk): void {
  const isMap = start.type === 'flow-map-start';
  const names = new Set<string>();
  items.forEach((item, index) => {
    const { key, value } = item;
    const stray = [...item.start, ...(item.sep ?? [])].find((separator) => !SEPARATORS.has(separator.type));
    if (stray !== undefined) into.report(stray.offset, pointer, `contains ${JSON.stringify(stray.source)}, which is not JSON`);
    if (!key && !value) {
      const comma = item.start.find((separator) => separator.type === 'comma');
      if (comma !== undefined) into.report(comma.offset, pointer, 'has a comma with nothing after it');
      return;
    }
    const at = key?.offset ?? value?.offset ?? offset;
    const name = isMap ? (key?.type === 'double-quoted-scalar' ? parsed(key.source) : undefined) : String(index);
    if (typeof name !== 'string' || !value || (!isMap && key))
      return into.report(at, pointer, 'is not JSON: a member is "name": value, an element a value');
    const inner = `${pointer}/${pointerPart(name)}`;
    if (names.has(name)) into.report(at, inner, 'appears twice');
    names.add(name);
    into.place(at, inner);
    walk(value, inner, into);
  });
}

function lineOf(lines: ReadonlyMap<string, number>, pointer: string): number {
  const line = lines.get(pointer);
  return line ?? lineOf(lines, pointer.slice(0, Math.max(0, pointer.lastIndexOf('/'))));
}

/** The parser reports follow-up errors on the same line: only the first is useful. */
function onePerLine(faults: readonly JsonFault[]): readonly JsonFault[] {
  return faults.filter((fault, i) => faults.findIndex((other) => other.line === fault.line && other.pointer === fault.pointer) === i);
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}
