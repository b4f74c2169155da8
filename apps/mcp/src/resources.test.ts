import { TEXT_BYTES_MAX } from './findings';
import { partOfPage, requestedPage } from './resources';

test.each([
  ['start', '/llms.txt', 1],
  ['guides/streaming', '/docs/guides/streaming.md', 1],
  ['states/depth_watch', '/docs/states/depth_watch.md', 1],
  ['getLatest', '/docs/reference/operations/get-latest.md', 1],
  ['reference/labeling:2', '/docs/reference/labeling.md', 2],
])('%s is the text at %s, part %d', (page, path, part) => {
  expect(requestedPage(page)).toMatchObject({ path, part });
});

test.each([
  '',
  '/guides',
  '../keys',
  'guides/../../keys',
  'guides/streaming.md',
  'a?b',
  'a#b',
  'labeling:0',
  'labeling:x',
  'a//b',
  '%2e%2e/a',
])('%j is no name of a page', (page) => {
  expect(requestedPage(page)).toBeNull();
});

const requested = (part: number) => ({ path: '/docs/long.md', name: 'long', part });

test('links lead to resources, and anchors are left out', () => {
  expect(partOfPage('# A\n[b](/docs/guides/b.md#c), [d](/docs.md), [e](https://x.test/docs/f.md)\n', requested(1))).toBe(
    '# A\n[b](market-state://docs/guides/b), [d](/docs.md), [e](https://x.test/docs/f.md)\n',
  );
});

test('the parts of a long page are within the bound, name the next, and are the page again when put together', () => {
  const page = `# Long\n${Array.from({ length: 40 }, (_, at) => `## Section ${at}\n${`Zeile für Zeile ${at}. `.repeat(120)}\n`).join('')}${'ü'.repeat(40_000)}`;
  const parts: string[] = [];
  for (let part = 1; ; part += 1) {
    const text = partOfPage(page, requested(part));
    if (text === null) break;
    expect(Buffer.byteLength(text)).toBeLessThanOrEqual(TEXT_BYTES_MAX);
    parts.push(text);
  }
  expect(parts.length).toBeGreaterThan(4);
  for (const [at, text] of parts.slice(0, -1).entries()) expect(text).toContain(`market-state://docs/long:${at + 2}\n`);
  expect(parts.map((text) => text.replace(/\nPart \d+ of \d+\. Continues at \S+\n$/, '')).join('')).toBe(page);
});
