export const HELP = `fastify-crud introspect [--db URL] [--schema NAME] [--only TABLE]... [--json]
  Describes the tables of a database, and prints the descriptors:
  fastify-crud introspect --db postgres://localhost/shop > resources.ts

fastify-crud check [--db URL] --resources FILE [--json]
  Says where a database and the descriptors differ. The file exports what defineResources returned.
  The exit code is 1 if the service would not work.

--db         postgres://…, or the path of a SQLite file. Default: the variable DATABASE_URL.
--schema     PostgreSQL: the schema of the tables. Default: the first one of the search path.
--only       A table to describe; may occur several times. Default: all tables.
--resources  A module in JavaScript or TypeScript.
--json       Prints JSON, for programs.
--help       Prints this.
`
