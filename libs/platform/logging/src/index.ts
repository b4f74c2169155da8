export {
  createLogger,
  silentLogger,
  type LogLevel,
  type Logger,
  redactText,
  currentRequestContext,
  currentRequestId,
  requestIdOr,
  withRequestContext,
  type RequestContext,
} from './logger';
