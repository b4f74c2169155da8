import { type DatabaseService, databaseOf, services } from '../services';

export type { DatabaseService } from '../services';

const names = Object.keys(services).filter((name) => services[name]?.hasDatabase === true);

/** The services that have a database of their own. */
export const databaseServices: readonly DatabaseService[] = names.map(databaseOf);

/** The folder of a service's app, relative to the top of the workspace. */
export function appFolderOf(service: DatabaseService): string {
  return `apps/${names.find((name) => databaseOf(name) === service)}`;
}
