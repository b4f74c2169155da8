/** Classes of severity, rising. They are those of the policy's taxonomy, which code that runs in a browser cannot read. */
export const SEVERITY_CLASSES: readonly string[] = ['routine_context', 'elevated_context', 'high_context', 'critical_context'];
