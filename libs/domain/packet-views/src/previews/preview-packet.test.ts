import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Packet } from '@market-state/labeler';
import { allowedFields, previewPacketOf } from './preview-packet';
import { tapePacketOf } from './tape-row';

const EXAMPLES = readFileSync(
  join(import.meta.dirname, '..', '..', '..', '..', '..', 'docs', 'examples', 'btcusd-perp-packets.ndjson'),
  'utf8',
)
  .trim()
  .split('\n')
  .map((line) => JSON.parse(line) as Packet);

const CANARY = 'canary';

/** The packet with a canary in every field that is not among those shown, and a further field in every object. */
function withCanaries(value: unknown, shown: unknown): unknown {
  if (Array.isArray(value)) return value.map((item, index) => withCanaries(item, Array.isArray(shown) ? shown[index] : undefined));
  if (typeof value !== 'object' || value === null) return shown === undefined ? CANARY : value;
  const known = (shown ?? {}) as Readonly<Record<string, unknown>>;
  const fields = Object.entries(value).map(([name, inner]) => [name, name in known ? withCanaries(inner, known[name]) : CANARY] as const);
  return { ...Object.fromEntries(fields), further: CANARY, nested: { deep: [{ deeper: CANARY }] } };
}

it.each([
  ['a preview', previewPacketOf],
  ['the tape', tapePacketOf],
] as const)('%s shows the listed fields as they are, and nothing of the others', (_name, show) => {
  for (const packet of EXAMPLES) {
    const shown = show(packet);
    const marked = withCanaries(packet, shown) as Packet;
    expect(JSON.stringify(marked).split(CANARY).length).toBeGreaterThan(50);
    expect(show(marked)).toEqual(shown);
    expect(JSON.stringify(shown).includes(packet.packet_id)).toBe(false);
    expect(JSON.stringify(shown).includes(packet.input_digest)).toBe(false);
    expect(JSON.stringify(shown).includes(packet.previous_lineage_digest)).toBe(false);
  }
});

it('leaves an object out where a value is listed, and in lists of values too', () => {
  const given = { a: { secret: 1 }, b: [1, { secret: 2 }, 'x', [3]], c: null, d: 'kept', e: [{ f: 1, g: 2 }] } as {
    a: unknown;
    b: unknown[];
    c: null;
    d: string;
    e: { f: number; g: number }[];
  };
  expect(allowedFields(given as never, { a: true, b: true, c: true, d: true, e: [{ f: true }] } as never)).toEqual({
    b: [1, 'x'],
    c: null,
    d: 'kept',
    e: [{ f: 1 }],
  });
});
