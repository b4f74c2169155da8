/** The services that have a database of their own. */
export const databaseServices = ['account', 'data_plane', 'labeling'] as const;

/** Name of a service's database and role. */
export type DatabaseService = (typeof databaseServices)[number];

/** The folder of a service's app, relative to the top of the workspace. */
export function appFolderOf(service: DatabaseService): string {
  return `apps/${service.replace('_', '-')}`;
}
