import { DOCS } from '../site/page';
import { kebab } from './text';

/** The page of an operation. */
export function operationPath(operationId: string): string {
  return `${DOCS}/reference/operations/${kebab(operationId)}`;
}

/** The page of a code of a problem: what the problem's `docs` names. */
export function errorPath(code: string): string {
  return `${DOCS}/errors/${code}`;
}
