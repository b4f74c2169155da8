import { testArchiverKills } from './archiver-kills';

testArchiverKills();
