export const HELP = `fastify-crud introspect [--db URL] [--schema NAME] [--only TABLE]... [--json]
  Describes the tables of a database, and prints the descriptors:
  fastify-crud introspect --db postgres://localhost/shop > resources.ts

fastify-crud check [--db URL] --resources FILE [--json]
  Says where a database and the descriptors differ. The file exports what defineResources returned.
  The exit code is 1 if the service would not work.

fastify-crud generate [--db URL] --resources FILE [--name NAME] [--dir FOLDER] [--fill FIELD=VALUE]... [--online] [--check] [--sql] [--json]
  Writes Kysely migrations that bring the tables of a database to those of the descriptors.

--db         postgres://…, or the path of a SQLite file; :memory: is an empty one. Default: the variable DATABASE_URL.
--schema     PostgreSQL: the schema of the tables. Default: the first one of the search path.
--only       A table to describe; may occur several times. Default: all tables.
--resources  A module in JavaScript or TypeScript.
--name       What the migration is called: add-price. Default: changes.
--dir        The folder of the migrations. Default: migrations.
--fill       A value for rows that have none: book.price=0; or SQL that computes it: book.price:=pages * 2. May occur several times.
--online     PostgreSQL: changes rows and types of all tables in portions, while others write. Default: those of tables with more than 100,000 rows.
--check      Writes nothing. The exit code is 1 if anything is missing.
--sql        Writes nothing, and prints the SQL.
--json       Prints JSON, for programs.
--help       Prints this.
--version    Prints the version.
`
