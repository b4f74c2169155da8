export { openRedis, type RedisConnection } from './open-redis';
export { isRefusal, leaveIfSilent } from './failures';
export { pingRedis } from './ping-redis';
export { whenReady } from './when-ready';
