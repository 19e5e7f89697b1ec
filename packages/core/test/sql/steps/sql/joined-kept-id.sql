with "crud_s0" as (insert into "album_artist" ("albumId", "artistId") select coalesce("x"."albumId", current_setting('fastify_crud.album')::bigint), "x"."artistId"
  from (select "crud_record"."albumId", "crud_record"."artistId"
    from unnest(array(select jsonb_populate_recordset((select "crud_type"
            from "album_artist" as "crud_type"
            where false), $1::text::jsonb))) as "crud_record") as "x"
  where not exists (select 1
    from "album_artist" as "t"
    where "t"."albumId" = coalesce("x"."albumId", current_setting('fastify_crud.album')::bigint) and "t"."artistId" = "x"."artistId") returning 1) select (select case when "crud_written".count < $2::numeric then cast('fastify-crud: the database has left a row as it is, so the request is refused' || left(coalesce("crud_written".count::text, ''), 0) as integer) end
  from (select (select count(*)
      from "crud_s0") as count offset 0) as "crud_written") as done
-- ["[{\"albumId\":null,\"artistId\":1}]",1]
