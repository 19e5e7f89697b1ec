insert into "album_artist" ("albumId", "artistId") select "x"."albumId", "x"."artistId"
from (select "crud_record"."albumId", "crud_record"."artistId"
  from unnest(array(select jsonb_populate_recordset((select "crud_type"
          from "album_artist" as "crud_type"
          where false), $1::text::jsonb))) as "crud_record") as "x"
where not exists (select 1
  from "album_artist" as "t"
  where "t"."albumId" = "x"."albumId" and "t"."artistId" = "x"."artistId")
-- ["[{\"albumId\":111,\"artistId\":2},{\"albumId\":112,\"artistId\":3}]"]
