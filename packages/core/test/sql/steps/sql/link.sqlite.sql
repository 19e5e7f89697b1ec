insert into "album_artist" ("albumId", "artistId") select "x"."albumId", "x"."artistId"
from (select value as "crud_row", value ->> 0 as "albumId", value ->> 1 as "artistId"
  from json_each(?)) as "x"
where not exists (select 1
  from "album_artist" as "t"
  where "t"."albumId" = "x"."albumId" and "t"."artistId" = "x"."artistId")
-- ["[[111,2],[112,3]]"]
