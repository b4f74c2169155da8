export { CopyBinary } from './copy-binary';
export { copyBinary, copyRows, type CopyTarget, type CopyValue } from './copy-rows';
export { isDataRejection, isTransientDatabaseError, isUniqueViolation, orUnavailable } from './errors';
export { createListener, type Listener } from './listener';
export { createPool, pingPostgres } from './pool';
export { createStatements, NUMBER_TYPES, type Queryable, selectRows, run, inTransaction, withAdvisoryLock } from './statements';
