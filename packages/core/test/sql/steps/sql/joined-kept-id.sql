with "crud_s0" as (insert into "album_artist" ("albumId", "artistId") select coalesce("x"."albumId", current_setting('fastify_crud.album')::bigint), "x"."artistId"
  from (select "crud_record"."albumId", "crud_record"."artistId"
    from unnest(array(select jsonb_populate_recordset((select "crud_type"
            from "album_artist" as "crud_type"
            where false), $1::text::jsonb))) as "crud_record") as "x"
  where not exists (select 1
    from "album_artist" as "t"
    where "t"."albumId" = coalesce("x"."albumId", current_setting('fastify_crud.album')::bigint) and "t"."artistId" = "x"."artistId")) select 1 as done
-- ["[{\"albumId\":null,\"artistId\":1}]"]
