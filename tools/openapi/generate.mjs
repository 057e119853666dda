// Part of `npm run openapi`: writes the types of @idsync/client from openapi.json.
import { clientTypes, install, writeTypes } from './generators.mjs';

install();
writeTypes(clientTypes);
