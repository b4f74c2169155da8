import { testArchiverKills } from './archiver-kills';

testArchiverKills(['when half of a file stands in its place']);
