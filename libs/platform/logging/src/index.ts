export { createLogger, silentLogger, type LogLevel, type Logger } from './logger';
export {
  currentRequestContext,
  currentRequestId,
  requestIdOr,
  withRequestContext,
  type RequestContext,
} from './request-context';
export { redactText } from './redaction';
