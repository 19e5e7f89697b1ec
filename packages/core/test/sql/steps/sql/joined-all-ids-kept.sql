with "crud_s0" as (insert into "album" ("title", "shelf", "facts", "labelId", "openerId") select "x"."title", "x"."shelf", "x"."facts", "x"."labelId", "x"."openerId"
  from (select "crud_record"."title", "crud_record"."shelf", "crud_record"."facts", "crud_record"."labelId", "crud_record"."openerId"
    from jsonb_populate_recordset((select "crud_type"
        from "album" as "crud_type"
        where false), $1::text::jsonb) as "crud_record") as "x" returning "id") select set_config('fastify_crud.album', (select array_agg("id"::text)::text
    from (select "id"
      from "crud_s0") as "crud_new" (id)), true) as "crud_s0", (select case when "crud_written".count < $2::numeric then cast('fastify-crud: the database has left a row as it is, so the request is refused' || left(coalesce("crud_written".count::text, ''), 0) as integer) end
  from (select (select count(*)
      from "crud_s0") as count offset 0) as "crud_written") as done
-- ["[{\"title\":\"New\",\"shelf\":null,\"facts\":null,\"labelId\":1,\"openerId\":null},{\"title\":\"Newer\",\"shelf\":null,\"facts\":null,\"labelId\":1,\"openerId\":null}]",2]
