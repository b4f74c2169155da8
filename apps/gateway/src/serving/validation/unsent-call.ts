import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import express, { type Request, type Response } from 'express';
import type { Operation } from '../openapi/operations';

/** What a call would have beside its method and path. */
export interface UnsentParts {
  /** By name; none may be empty, since no such path is found. */
  readonly path?: Readonly<Record<string, string>>;
  /** Without `?`. */
  readonly rawQuery?: string;
  /** Names in lower case. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
}

/** A request belongs to an application, whose settings Express and its middlewares read. */
const app = express();

/** The call of an operation that nobody has made yet, as its route would get it. */
export function unsentCall(operation: Operation, { path = {}, rawQuery = '', headers = {}, body }: UnsentParts): [Request, Response] {
  const req = Object.setPrototypeOf(new IncomingMessage(new Socket()), app.request) as Request;
  req.method = operation.method.toUpperCase();
  req.url = `${operation.path.replace(/\{([^}]+)\}/g, (_braces, name: string) => encodeURIComponent(path[name] ?? ''))}?${rawQuery}`;
  req.originalUrl = req.url;
  req.baseUrl = '';
  req.headers = { ...headers };
  req.body = body;
  return [req, Object.setPrototypeOf(new ServerResponse(req), app.response) as Response];
}
