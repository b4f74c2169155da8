export { withAdvisoryLock } from './advisory-lock';
export { CopyBinary } from './copy-binary';
export { copyBinary, copyRows, type CopyTarget } from './copy-rows';
export { type CopyValue } from './copy-text';
export { isDataRejection, isTransientDatabaseError, isUniqueViolation } from './errors';
export { createListener, type Listener } from './listener';
export { createPool, pingPostgres } from './pool';
export { createStatements, type Queryable, run } from './statements';
export { inTransaction } from './transaction';
