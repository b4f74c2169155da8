export { bootService, type RunningService, type Service } from './boot-service';
