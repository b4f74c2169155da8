import { brotliDecompressSync, gunzipSync, zstdDecompressSync } from 'node:zlib';
import { fixedJson, jsonRepresentation, lazyJson } from './representation';

const body = { rows: Array.from({ length: 500 }, (_, at) => ({ at, word: `row ${at}` })) };

it.each([
  ['made for one answer', jsonRepresentation],
  ['kept', fixedJson],
  ['made on first use', lazyJson],
])('a body %s is the same in every coding', async (_use, represent) => {
  const { encoded } = represent(body);
  const plain = JSON.stringify(body);
  expect(String(await encoded('identity'))).toBe(plain);
  expect(String(gunzipSync(await encoded('gzip')))).toBe(plain);
  expect(String(brotliDecompressSync(await encoded('br')))).toBe(plain);
  expect(String(zstdDecompressSync(await encoded('zstd')))).toBe(plain);
});
