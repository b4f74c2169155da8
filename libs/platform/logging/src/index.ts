export { createLogger, silentLogger, type LogLevel, type Logger, type LoggerOptions } from './logger';
export { redactLine, redactText } from './redaction';
export {
  currentRequestContext,
  currentRequestId,
  requestIdOr,
  withRequestContext,
  type RequestContext,
} from './request-context';
