import { loadPolicy } from '@market-state/labeler';
import { openApiDocument } from '../serving/openapi/document';
import { operations } from '../serving/openapi/operations';
import { fingerprintOf, partsUnder, type ReleaseParts, sha256Of } from './release-parts';

/** The document's bytes as its routes send them. */
const OPENAPI_BYTES = Buffer.from(JSON.stringify(openApiDocument));

/** A route as lists of them name it: the method in capitals, a space, the path with parameters in braces. */
export function routeLine(method: string, path: string): string {
  return `${method.toUpperCase()} ${path}`;
}

/** Every route that the document describes. */
export function describedRoutes(): string[] {
  return operations.map(({ method, path }) => routeLine(method, path)).sort();
}

/** The parts that never change while a gateway runs: the document and the labeler's policy. */
function heldParts(): ReleaseParts {
  held ??= new Map([
    ['interface/openapi.json', sha256Of(OPENAPI_BYTES)],
    ['policy', loadPolicy().digest],
  ]);
  return held;
}

let held: ReleaseParts | undefined;

/**
 * The parts that a gateway holds in memory: the document, the routes (one line each, sorted) and the labeler's policy.
 * @param routes those that are served; when a release is recorded, those described
 */
export function interfaceParts(routes: readonly string[]): ReleaseParts {
  return new Map([
    ...heldParts(),
    [
      'interface/routes',
      sha256Of(
        [...routes]
          .sort()
          .map((line) => `${line}\n`)
          .join(''),
      ),
    ],
  ]);
}

/** Version of the documentation: its name and the beginning of the fingerprint of its manifest. */
export function pageVersion(parts: ReleaseParts): string {
  return `documentation-${fingerprintOf(partsUnder(parts, 'page/')).slice(0, 12)}`;
}
