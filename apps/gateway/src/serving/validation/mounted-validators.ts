import { delay } from '@market-state/lifecycle';
import { Router } from 'express';
import { sortRoutes, type Spec } from 'express-openapi-validator/dist/framework/openapi.spec.loader';
import { OpenApiValidator } from 'express-openapi-validator/dist/openapi.validator';
import type { Schema } from '../openapi/document';
import { type Operation, operations } from '../openapi/operations';
import { isInstantOrEmpty } from './instant';
import { ownTurn } from '@market-state/lifecycle';

/**
 * Paths that share a validator. It looks for the route of a request path by path, and compiles the pattern of each anew
 * (cdimascio/express-openapi-validator#1217): about 3 us each. To make one takes some 3 ms, and each keeps 0.1 MB.
 */
const PATHS_OF_ONE = 8;
/** Between two that are made ahead, milliseconds: requests have their turns, and the loop does not lag. */
const PAUSE_MS = 100;

/** Validators of all operations, each made when it is first needed. */
export interface MountedValidators {
  /** The validator of an operation: it hands on a request that keeps to the document, or an error. */
  of(operation: Operation): Promise<Router>;
  /** Makes those that no request has needed yet, one after the other, until the signal aborts. */
  makeAhead(signal: AbortSignal): Promise<void>;
}

/** The validator takes a body to be required when its schema has a list of required fields, be it empty. */
function bodySchema({ required, schema }: NonNullable<Operation['body']>): Schema {
  return required ? { required: [], ...schema } : schema;
}

/** What the validator reads of an operation: the credential is left to the credential check. */
function requestSide({ operationId, parameters, body }: Operation): object {
  return {
    parameters: parameters
      .filter(({ name }) => name !== 'x-market-state-api-key')
      .map((parameter) => (parameter.in === 'query' ? { ...parameter, allowReserved: true } : parameter)),
    ...(body === null ? {} : { requestBody: { required: body.required, content: { 'application/json': { schema: bodySchema(body) } } } }),
    responses: { 200: { description: operationId } },
  };
}

/** The document of some paths, references followed. The validator takes HEAD for an operation of its own. */
function documentOf(paths: readonly string[]): Spec['apiDoc'] {
  const methods: Record<string, Record<string, object>> = Object.fromEntries(paths.map((path) => [path, {}]));
  for (const operation of operations) {
    const ofPath = methods[operation.path];
    if (ofPath === undefined) continue;
    ofPath[operation.method] = requestSide(operation);
    if (operation.method === 'get') ofPath['head'] = requestSide(operation);
  }
  // The validator changes what it is given, and the schemas are those of the served document.
  return structuredClone({ openapi: '3.1.0', info: { title: 'requests', version: '1.0.0' }, paths: methods }) as unknown as Spec['apiDoc'];
}

/**
 * What the validator's own loader would make of their document. That one compiles the schema of OpenAPI first, whether or not the document
 * is held to it: thirty times the work of all else here.
 */
function specOf(paths: readonly string[]): Spec {
  const apiDoc = documentOf(paths);
  const routes = Object.entries(apiDoc.paths ?? {}).flatMap(([path, methods]) =>
    Object.keys(methods ?? {}).map((method) => ({
      basePath: '',
      expressRoute: path.replace(/\{([^}]+)\}/g, ':$1'),
      openApiRoute: path,
      method: method.toUpperCase(),
      // For handlers that read `req.params` after it; ours read what the validator found.
      pathParams: [],
    })),
  );
  return { apiDoc, basePaths: [''], routes: routes.sort(sortRoutes), serial: 0 };
}

function makeValidator(paths: readonly string[]): Router {
  const spec = specOf(paths);
  const validator = new OpenApiValidator({
    apiSpec: spec.apiDoc,
    validateSecurity: false,
    validateResponses: false,
    fileUploader: false,
    validateRequests: { allErrors: true, allowUnknownQueryParameters: true },
    useRequestUrl: true,
    formats: { 'instant-or-empty': { type: 'string', validate: isInstantOrEmpty }, password: { type: 'string', validate: () => true } },
  });
  return Router().use(validator.installMiddleware(Promise.resolve(spec)));
}

export function createMountedValidators(): MountedValidators {
  const paths = [...new Set(operations.map(({ path }) => path))];
  const made = new Map<number, Router>();

  async function validatorOf(group: number): Promise<Router> {
    if (!made.has(group)) await ownTurn();
    const validator = made.get(group) ?? makeValidator(paths.slice(group * PATHS_OF_ONE, (group + 1) * PATHS_OF_ONE));
    made.set(group, validator);
    return validator;
  }

  return {
    of: ({ path }) => validatorOf(Math.floor(paths.indexOf(path) / PATHS_OF_ONE)),
    async makeAhead(signal) {
      for (let group = 0; group * PATHS_OF_ONE < paths.length && !signal.aborted; group += 1) {
        await validatorOf(group);
        await delay(PAUSE_MS, signal).catch(() => undefined);
      }
    },
  };
}
