import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

const openapi = join(dirname(dirname(dirname(fileURLToPath(import.meta.url)))), 'apps', 'gateway', 'openapi');

/** Headers of every metered answer, and the file of each. */
const METERED_HEADERS = {
  'X-Credits-Charged': 'headers/x-credits-charged.yaml',
  'X-Credits-Remaining': 'headers/x-credits-remaining.yaml',
  'X-Receipt-Id': 'headers/x-receipt-id.yaml',
  'RateLimit-Policy': 'headers/rate-limit-policy.yaml',
  RateLimit: 'headers/rate-limit.yaml',
};

/** A plugin of Redocly's bundler: before bundling, operations get what their files leave out because many have it in common. */
export default function marketState() {
  return { id: 'market-state', preprocessors: { oas3: { 'common-answers': () => ({ Operation: { enter: addCommonAnswers } }) } } };
}

/**
 * All get 417 and 421; those beside the probes 429 and 503; a metered one 402, headers that bound its cost, and in its 200 headers that
 * tell its cost.
 */
function addCommonAnswers(operation, { location }) {
  // What is sent to others is no route of ours.
  if (operation['x-access'] === undefined) return;
  const part = (file) => ({ $ref: relative(dirname(location.source.absoluteRef), join(openapi, file)) });
  const isMetered = operation['x-access'].metered;
  if (isMetered) {
    const bounds = [part('parameters/quote-id.yaml'), part('parameters/max-credits.yaml')];
    operation.parameters = [...(operation.parameters ?? []), ...bounds];
    const ok = operation.responses['200'];
    if (ok !== undefined && ok.$ref === undefined) {
      const told = Object.entries(METERED_HEADERS).map(([name, file]) => [name, part(file)]);
      ok.headers = { ...ok.headers, ...Object.fromEntries(told) };
    }
  }
  operation.responses = {
    ...(operation.tags.includes('operations') ? {} : { 429: part('responses/rate-limited.yaml'), 503: part('responses/unavailable.yaml') }),
    ...operation.responses,
    ...(isMetered ? { 402: part('responses/payment-required.yaml') } : {}),
    417: part('responses/expectation-failed.yaml'),
    421: part('responses/misdirected.yaml'),
  };
}
