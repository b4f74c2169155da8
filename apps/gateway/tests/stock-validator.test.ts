import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import express, { type NextFunction, type Request, type Response } from 'express';
import { middleware } from 'express-openapi-validator';
import { operations, type Operation } from '../src/serving/openapi/operations';
import { checkQuery } from '../src/serving/validation/request-validator';
import { isInstantOrEmpty } from '../src/serving/meta/meta';
import document from '../openapi/openapi.json';
import { http } from './stand-in/http-client';

/** Sent as each parameter of each operation; the stock validator refuses reserved characters itself. */
const VALUES = ['', '1', '-1', '99999999999', 'x', 'BTCUSD-PERP', '2026-01-01T00%3A00%3A00Z'];

interface StockError {
  readonly status?: number;
  readonly errors?: readonly { readonly path: string; readonly errorCode?: string }[];
}

/** express-openapi-validator through its public interface, over the whole document. */
function stockApp() {
  const app = express();
  app.use(
    middleware({
      apiSpec: structuredClone(document) as unknown as string,
      validateApiSpec: false,
      validateSecurity: false,
      validateResponses: false,
      validateRequests: { allErrors: true, allowUnknownQueryParameters: true },
      formats: { 'instant-or-empty': { type: 'string', validate: isInstantOrEmpty }, password: { type: 'string', validate: () => true } },
    }),
  );
  app.use((req: Request, res: Response) => void res.json({ query: req.query }));
  app.use((error: StockError, _req: Request, res: Response, _next: NextFunction) => {
    const errors = (error.errors ?? []).map(({ path, errorCode = '' }) => [path, errorCode.replace('.openapi.validation', '')]);
    res.status(error.status ?? 500).json({ errors: errors.filter(([path]) => path?.startsWith('/query')) });
  });
  return app;
}

const queried = operations.filter(({ method, parameters }) => method === 'get' && parameters.some((parameter) => parameter.in === 'query'));

describe('the compiled check of a query', () => {
  let server: Server;
  let url: string;
  beforeAll(async () => {
    server = createServer(stockApp()).listen(0, '127.0.0.1');
    await once(server, 'listening');
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  });
  afterAll(() => void server.close());

  function ownVerdict(operation: Operation, rawQuery: string): readonly string[] {
    const { errors } = checkQuery(operation, rawQuery);
    return errors.map(({ instancePath, keyword, params }) => {
      const { missingProperty } = params as { readonly missingProperty?: string };
      return `${instancePath}${missingProperty === undefined ? '' : `/${missingProperty}`} ${keyword}`;
    });
  }

  it.each(queried.map((operation) => [operation.operationId, operation] as const))(
    'of %s finds what express-openapi-validator finds',
    async (_id, operation) => {
      const path = operation.path.replace(/\{[^}]+\}/g, 'p');
      for (const { name, schema } of operation.parameters.filter((parameter) => parameter.in === 'query')) {
        for (const value of schema.type === 'object' ? [] : VALUES) {
          const rawQuery = `${name}=${value}`;
          // Text in place of a whole number is refused before any schema.
          if (checkQuery(operation, rawQuery).faults.length > 0) continue;
          const headers = { 'x-market-state-api-key': 'k', 'stripe-signature': 's' };
          const answer = await http(`${url}${path}?${rawQuery}`, { headers });
          const body = answer.json() as { readonly errors?: readonly (readonly [string, string])[]; readonly query?: object };
          expect(body.query ?? {}).toEqual(body.query === undefined ? {} : { ...checkQuery(operation, rawQuery).values });
          const stock = (body.errors ?? []).map(([at, keyword]) => `${at.replace('/query', '')} ${keyword}`);
          expect([rawQuery, ...ownVerdict(operation, rawQuery)].sort()).toEqual([rawQuery, ...stock].sort());
        }
      }
    },
  );
});
