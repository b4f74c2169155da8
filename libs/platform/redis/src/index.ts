export { openRedis, type RedisConnection } from './open-redis';
export { isLate, isRefusal } from './failures';
export { pingRedis } from './ping-redis';
export { whenReady } from './when-ready';
