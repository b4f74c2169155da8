import { startExportUnderTest } from './export-under-test';
import { filesSuite } from './files-suite';

describe('files of exports in a folder', () => filesSuite(startExportUnderTest));
