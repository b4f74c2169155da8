export { isRefusal, leaveIfSilent, openRedis, pingRedis, type RedisConnection, whenReady } from './open-redis';
